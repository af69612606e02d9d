provider shop { probe a__b(); };
provider till { probe a_b(); };
