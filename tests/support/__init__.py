"""Helpers of the tests: none of these modules holds a test."""
