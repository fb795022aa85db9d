export function Key({ children }: { children: string }) {
  return (
    <kbd className="inline-grid h-5 min-w-5 place-items-center rounded border border-line bg-sunken px-1 font-sans text-xs text-ink-soft">
      {children}
    </kbd>
  )
}

export function Keys({ keys }: { keys: string[] }) {
  return (
    <span className="inline-flex gap-1">
      {keys.map((key) => (
        <Key key={key}>{key}</Key>
      ))}
    </span>
  )
}

/** Returns the label of the platform's command key. */
export const commandKey = (isMac: boolean) => (isMac ? '⌘' : 'Ctrl')
