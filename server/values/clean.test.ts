import { expect, test } from 'vitest'
import { isPlaceholder } from './clean.ts'

test.each(
  [
    ...'N/A n/a NA na n.a. #N/A <NA> TBD tba None none (none) --None-- Select... null NULL \\N nil NaN NaT'.split(
      ' ',
    ),
    ['No owner', '(Unassigned)', '-- Select One --', 'Please select', '(No value)', 'No value', '(Blank)'],
    ['Unknown', 'Not set', 'Not Set', 'not applicable', '-', '--', '—', '–', '- -', '?', '??', '.', '…'],
  ].flat(),
)('%s stands for a missing value', (text) => expect(isPlaceholder(text)).toBe(true))

test.each(
  [
    ...'Na Nan Nat Nil Null Noneman No Yes New Pending Blank 0 x X -5 -a ☐ ✗ #12'.split(' '),
    ['Not Started', 'On Hold', 'Unknown Pleasures LLC', 'N/A - HOA'],
  ].flat(),
)('%s is a value', (text) => expect(isPlaceholder(text)).toBe(false))
