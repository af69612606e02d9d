/* SPDX-License-Identifier: Apache-2.0 */
/*
 * replay.h - main() of a fuzz target without a fuzzer: runs the files that it is
 * given, or those of the folders that it is given, through the target once
 */
#ifndef TESTS_REPLAY_H
#define TESTS_REPLAY_H

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#ifndef FUZZ_LIBFUZZER
#define REPLAY_MAX (1u << 20)

static unsigned int replay_nr;

static void replay_file(const char *path)
{
	static uint8_t data[REPLAY_MAX];
	FILE *f = fopen(path, "rb");
	size_t n;

	if (!f) {
		fprintf(stderr, "cannot read %s\n", path);
		exit(1);
	}
	n = fread(data, 1, sizeof(data), f);
	fclose(f);
	LLVMFuzzerTestOneInput(data, n);
	replay_nr++;
}

int main(int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++) {
		DIR *dir = opendir(argv[i]);
		struct dirent *e;
		char path[4096];

		while (dir && (e = readdir(dir)))
			if (e->d_name[0] != '.') {
				snprintf(path, sizeof(path), "%s/%s", argv[i], e->d_name);
				replay_file(path);
			}
		if (dir)
			closedir(dir);
		else
			replay_file(argv[i]);
	}
	printf("%u inputs\n", replay_nr);
	return !replay_nr;
}
#endif

#endif /* TESTS_REPLAY_H */
