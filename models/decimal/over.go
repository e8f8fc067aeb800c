package decimal

import "math/big"

// Over returns d / n to so many digits behind the point, the last one rounded half to even, without zeros at the end: they
// would say nothing of d. n must not be 0.
func (d Decimal) Over(n int64, digits int) Decimal {
	up, down := d.value(), new(big.Int).Mul(big.NewInt(n), power(d.scale))
	up = new(big.Int).Mul(up, power(digits))
	if down.Sign() < 0 {
		up, down = new(big.Int).Neg(up), down.Neg(down)
	}
	// Floor and a rest that is not negative: half of n decides, and a tie goes to the even digit.
	q, rest := new(big.Int).DivMod(up, down, new(big.Int))
	if c := rest.Lsh(rest, 1).Cmp(down); c > 0 || c == 0 && q.Bit(0) == 1 {
		q.Add(q, big.NewInt(1))
	}
	return Decimal{unscaled: q, scale: digits}.Trimmed(0)
}
