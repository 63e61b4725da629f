"""From pixels to shapes: camera, plane, edges, fits, and the features of pieces. The only room with OpenCV."""
