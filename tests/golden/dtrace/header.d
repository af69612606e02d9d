/* what a shop tells */
provider shop {
	probe order__placed(int id, string what);
	probe idle();
	probe cart__changed(int, uint64_t n) : (int);
	probe note(char *);
};
provider till { probe opened(void); };
