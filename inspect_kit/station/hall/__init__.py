"""What the hall sees besides the desks: the queue, the roster, papers, screens and the public look-up."""
