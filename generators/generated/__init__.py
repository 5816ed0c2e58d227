"""What generated tasks share: groups, lists of units, words and splits; used by the suites synthetic and frontier."""
