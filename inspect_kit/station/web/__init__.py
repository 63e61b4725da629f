"""The web server under the pages: connections, limits, headers, one request, refusals."""
