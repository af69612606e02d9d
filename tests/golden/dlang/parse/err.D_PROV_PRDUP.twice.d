provider shop { probe a(); probe b(int); };
provider shop { probe a(int); };
