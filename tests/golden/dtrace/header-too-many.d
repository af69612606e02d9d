provider shop { probe a(int, int, int); };
