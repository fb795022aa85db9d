import { commandKey } from '#app/ui/key.tsx'

/** Returns the keyboard shortcuts by context. The keys of a shortcut are pressed together. */
export function keyTable(isMac: boolean): { where: string; keys: { does: string; keys: string[] }[] }[] {
  return [
    {
      where: 'Everywhere',
      keys: [
        { does: 'Find a deal or page', keys: [commandKey(isMac), 'K'] },
        { does: 'Show keyboard shortcuts', keys: ['?'] },
        { does: 'Close dialog or menu', keys: ['Esc'] },
        { does: 'Go to Home, Deals, Board', keys: ['G', 'H, D, B'] },
        { does: 'Go to Money, Reports', keys: ['G', 'M, R'] },
        { does: 'Go to Notifications', keys: ['G', 'N'] },
      ],
    },
    {
      where: 'Deals list and board',
      keys: [
        { does: 'Search', keys: ['/'] },
        { does: 'Next or previous deal', keys: ['J', 'K'] },
        { does: 'Open deal', keys: ['Enter'] },
        { does: 'Peek at deal', keys: ['Space'] },
        { does: 'Select deal', keys: ['X'] },
        { does: 'Extend selection', keys: ['Shift', '↓'] },
        { does: 'Leave search', keys: ['Esc'] },
      ],
    },
    {
      where: 'Deal',
      keys: [
        { does: 'Next deal of the list', keys: ['J'] },
        { does: 'Previous deal of the list', keys: ['K'] },
        { does: 'Follow or unfollow', keys: ['F'] },
      ],
    },
  ]
}
