"""Commands about articulated bodies and their muscles."""
