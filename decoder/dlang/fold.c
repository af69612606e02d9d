// SPDX-License-Identifier: Apache-2.0
/*
 * fold.c - constant arithmetic, exactly as the machine does it: on 64 bits, cut
 * to the type afterwards.  Divisors are not 0 here.
 */
#include "dlang/check.h"

int64_t fold_binary(unsigned int op, const struct dtype *t, int64_t a, int64_t b)
{
	bool s = dtype_base(t)->is_signed;
	uint64_t x = a, y = b, r;

	switch (op) {
	case T_PLUS:
		r = x + y;
		break;
	case T_MINUS:
		r = x - y;
		break;
	case T_STAR:
		r = x * y;
		break;
	case T_SLASH:
		r = !s ? x / y : b == -1 ? 0 - x : (uint64_t)(a / b);
		break;
	case T_PERCENT:
		r = !s ? x % y : b == -1 ? 0 : (uint64_t)(a % b);
		break;
	case T_AND:
		r = x & y;
		break;
	case T_OR:
		r = x | y;
		break;
	case T_XOR:
		r = x ^ y;
		break;
	case T_SHL:
		r = x << (y & 63);
		break;
	case T_SHR:
		r = s ? (uint64_t)(a >> (y & 63)) : x >> (y & 63);
		break;
	case T_EQ:
		return a == b;
	case T_NE:
		return a != b;
	case T_LT:
		return s ? a < b : x < y;
	case T_LE:
		return s ? a <= b : x <= y;
	case T_GT:
		return s ? a > b : x > y;
	case T_GE:
		return s ? a >= b : x >= y;
	case T_LAND:
		return a && b;
	case T_LOR:
		return a || b;
	case T_LXOR:
		return !a != !b;
	default:
		r = 0;
	}
	return type_normal(t, (int64_t)r);
}
