/** A number with its thousands apart: `1,290.250` with three digits after the point. By hand: the first use of `toLocaleString` costs 15 ms. */
export const figure = (value: number, digits: number): string => {
  const [whole = '', fraction] = value.toFixed(digits).split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
};
