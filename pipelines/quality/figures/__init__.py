"""How simulated text compares with real text: pure functions over documents and stories."""
