/** The key that stands for "do this" on the keyboards of a system. */
export const commandKey = (isMac: boolean) => (isMac ? '⌘' : 'Ctrl')

/** What can be done by keyboard, as it is shown to people; each key is one of those pressed together. */
export function keyTable(isMac: boolean): { where: string; keys: { does: string; keys: string[] }[] }[] {
  return [
    {
      where: 'Everywhere',
      keys: [
        { does: 'Go anywhere, find a deal', keys: [commandKey(isMac), 'K'] },
        { does: 'Show these keys', keys: ['?'] },
        { does: 'Close what is open', keys: ['Esc'] },
      ],
    },
    {
      where: 'In the list of deals',
      keys: [
        { does: 'Search', keys: ['/'] },
        { does: 'Next or previous deal', keys: ['↓', '↑'] },
        { does: 'Open the deal', keys: ['Enter'] },
        { does: 'Leave the search', keys: ['Esc'] },
      ],
    },
  ]
}
