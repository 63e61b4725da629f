"""The maker's service: measurements in, verdicts and trends out, as JSON and as a page."""
