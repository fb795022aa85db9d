/** Shows the parts of a page as tabs, or as numbered steps. */
export function PartTabs<Name extends string>({
  label,
  names,
  titles,
  current,
  isNumbered = false,
  onOpen,
}: {
  label: string
  names: readonly Name[]
  titles: Readonly<Record<Name, string>>
  current: Name
  isNumbered?: boolean
  onOpen: (name: Name) => void
}) {
  const List = isNumbered ? 'ol' : 'ul'
  const currentValue = isNumbered ? 'step' : 'true'
  return (
    <nav aria-label={label} className="mb-5">
      <List className="flex flex-wrap gap-1">
        {names.map((name, index) => (
          <li key={name}>
            <button
              type="button"
              aria-current={name === current ? currentValue : undefined}
              onClick={() => onOpen(name)}
              className="touch h-9 rounded-lg px-3 text-ink-soft hover:bg-sunken aria-[current]:bg-sunken aria-[current]:font-medium aria-[current]:text-ink"
            >
              {isNumbered && `${index + 1}. `}
              {titles[name]}
            </button>
          </li>
        ))}
      </List>
    </nav>
  )
}
