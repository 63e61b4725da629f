"""Many pieces at once: capability, control charts, gauge studies, sampling plans and the fairness of dice."""
