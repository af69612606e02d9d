provider shop { probe a(); };
