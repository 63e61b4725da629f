"""The walk in order, from readings and a sheet to the record of an inspection with its digest."""
