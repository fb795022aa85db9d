/** A key of the keyboard. */
export function Key({ children }: { children: string }) {
  return (
    <kbd className="inline-grid h-5 min-w-5 place-items-center rounded border border-line bg-sunken px-1 font-sans text-xs text-ink-soft">
      {children}
    </kbd>
  )
}

/** Keys that are pressed together, or one after the other. */
export function Keys({ keys }: { keys: string[] }) {
  return (
    <span className="inline-flex gap-1">
      {keys.map((key) => (
        <Key key={key}>{key}</Key>
      ))}
    </span>
  )
}
