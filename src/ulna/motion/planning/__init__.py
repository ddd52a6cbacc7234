"""Planning: from an arm and a path to joint motions, torques and findings."""
