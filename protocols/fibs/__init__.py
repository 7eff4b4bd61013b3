"""What FIBS servers say and what they understand."""
