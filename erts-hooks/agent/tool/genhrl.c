// SPDX-License-Identifier: Apache-2.0
/* genhrl.c - print the catalogue's events as Erlang macros, for the agent */
#include <stdio.h>
#include <beamtap/catalog.h>

int main(void)
{
	const char *sep = "";

	printf("%%%% SPDX-License-Identifier: Apache-2.0\n"
	       "%%%% Made from uapi/beamtap/catalog.h; do not edit.\n");
#define AS_DEFINE(id, name, usdt, doc) printf("-define(BTAP_EV_" #name ", %d).\n", id);
	BTAP_EVENTS(AS_DEFINE)
#undef AS_DEFINE
	printf("-define(BTAP_EVENTS, [");
#define AS_ELEMENT(id, name, usdt, doc) printf("%s\n    {" #name ", %d}", sep, id), sep = ",";
	BTAP_EVENTS(AS_ELEMENT)
#undef AS_ELEMENT
	printf("\n]).\n");
	return 0;
}
