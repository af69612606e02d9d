struct s { int x; };
provider shop { probe a(struct s *); };
