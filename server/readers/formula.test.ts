import { expect, test } from 'vitest'
import { addressOf, formulaAddress, isTotalFormula } from './formula.ts'

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
