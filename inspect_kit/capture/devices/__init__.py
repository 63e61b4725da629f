"""Instruments without a serial line: USB scales of the HID class and Bluetooth calipers, heard as lines of bytes."""
