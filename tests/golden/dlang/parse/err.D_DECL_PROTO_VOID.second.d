provider shop { probe fine(void); probe a(int, void); };
