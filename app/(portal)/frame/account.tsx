import { type ComponentType, useState } from 'react'
import { PartBoundary } from '#app/ui/part-boundary.tsx'
import { AccountButton } from './account-button.tsx'
import type { Viewer } from './viewer.ts'

type MenuProps = { viewer: Viewer; openKeys: () => void }

const load = () => import('./account-menu.tsx').then(({ AccountMenu }) => AccountMenu)
const loadEarly = () => void load().catch(() => {})

/** Shows the account menu; loads its code (30 KB) on hover, focus or click. */
export function Account(props: MenuProps) {
  const [Menu, setMenu] = useState<ComponentType<MenuProps> | null>(null)
  if (Menu !== null)
    return (
      <PartBoundary onClose={() => setMenu(null)}>
        <Menu {...props} />
      </PartBoundary>
    )
  const open = () =>
    void load()
      .catch(throwing)
      .then((Loaded) => setMenu(() => Loaded))
  return (
    <AccountButton
      name={props.viewer.name}
      aria-expanded={false}
      onPointerEnter={loadEarly}
      onFocus={loadEarly}
      onClick={open}
    />
  )
}

/** Returns a menu that throws the error, so that the error boundary shows it. */
const throwing = (error: unknown) =>
  function Unloaded(): never {
    throw error
  }
