"""Source code as tasks read it: what a file defines, what it imports from other files, which of its lines may be asked for."""
