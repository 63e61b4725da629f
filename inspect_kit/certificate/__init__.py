"""What a certificate says and how it looks: content as data, wording in four languages, pages, PDF/A."""
