provider shop2 { probe a(); };
