"""What a benchmark is: tasks, haystacks, oracles."""
