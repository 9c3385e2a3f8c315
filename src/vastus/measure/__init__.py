"""What is measured in a state: fields, outputs, moments and overlap."""
