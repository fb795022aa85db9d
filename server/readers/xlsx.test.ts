import { expect, test } from 'vitest'
import {
  addressOf,
  formulaAddress,
  isTotalFormula,
  cellRange,
  columnIndex,
  tallCell,
  unescapeText,
} from './xlsx.ts'

test.each([
  ['A1', 0],
  ['Z9', 25],
  ['AA10', 26],
  ['XFD1048576', 16_383],
  ['a1', null],
  ['1', null],
  ['AAAA1', null],
])('the cell %s is in the column %s', (reference, index) => expect(columnIndex(reference)).toBe(index))

test('decodes escaped characters', () => {
  expect(unescapeText('a_x000D_b_x005F_c_x_')).toBe('a\rb_c_x_')
})

test.each([
  ['D5:D6', { column: 3, top: 5, bottom: 6 }],
  ['A1:C9', { column: 0, top: 1, bottom: 9 }],
  ['A1:I1', null],
  ['A1', null],
  ['D6:D5', null],
  ['x:y', null],
])('reads the merged cells %s as the tall cell %o', (reference, cell) =>
  expect(tallCell(reference)).toEqual(cell),
)

test.each([
  ['B2', { left: 1, right: 1, top: 2, bottom: 2 }],
  ['$B$2:C9', { left: 1, right: 2, top: 2, bottom: 9 }],
  ['C2:B9', null],
  ['B:B', null],
  ['A1:B2:C3', null],
])('reads the reference %s as the range %o', (reference, range) =>
  expect(cellRange(reference)).toEqual(range),
)

const textAt = (column: number) => ['900100001', 'Ortiz, Mia', 'https://a.example/1'][column] ?? ''

test.each([
  ['HYPERLINK("https://a.example/1","Open")', 'https://a.example/1'],
  ['=HYPERLINK("https://a.example/?q=""x""")', 'https://a.example/?q="x"'],
  ['_xlfn.HYPERLINK( "https://a.example/1" , "Open" )', 'https://a.example/1'],
  ['HYPERLINK("https://a.example/"&$A2,"Open")', 'https://a.example/900100001'],
  ['HYPERLINK("https://a.example/" & A2 & "/edit", B2)', 'https://a.example/900100001/edit'],
  ['HYPERLINK(C2,"Open")', 'https://a.example/1'],
  ['HYPERLINK(CONCATENATE("https://a.example/",A2),"Open")', 'https://a.example/900100001'],
  ['hyperlink("mailto:ana@a.example")', 'mailto:ana@a.example'],
  ['of:=HYPERLINK("https://a.example/"&[.A2];"Open")', 'https://a.example/900100001'],
  // Values of other rows and other functions are unknown.
  ['HYPERLINK("https://a.example/"&A3,"Open")', null],
  ['HYPERLINK(VLOOKUP(A2,X:Y,2),"Open")', null],
  ['HYPERLINK("#Sheet2!A1","Open")', null],
  ['HYPERLINK("https://a.example', null],
  ['SUM(A1:A9)', null],
])('the formula %s links to %s', (formula, address) =>
  expect(formulaAddress(formula, 2, textAt)).toBe(address),
)

test.each([
  [' https://a.example/1 ', 'https://a.example/1'],
  ['HTTP://a.example', 'HTTP://a.example'],
  ['mailto:ana@a.example?subject=x', 'mailto:ana@a.example?subject=x'],
  ['#Sheet2!A1', null],
  ['file:///C:/proposal.pdf', null],
  ['proposals/1.pdf', null],
  ['javascript:alert(1)', null],
])('the link %s has the URL %s', (target, address) => expect(addressOf(target)).toBe(address))

test.each([
  ['SUM(D2:D9)', true],
  ['SUBTOTAL(109,Deals[Amount])', true],
  ['_xlfn.AGGREGATE(9,5,D2:D9)', true],
  ['COUNTA($A$2:$A$9)', true],
  ['of:=SUM([.D2:.D9])', true],
  ['SUM(D2:F2)', false],
  ['SUMIF(D2:D9,">0")', false],
  ['D2*2', false],
])('the formula %s is a total of other rows: %s', (formula, isTotal) =>
  expect(isTotalFormula(formula)).toBe(isTotal),
)
