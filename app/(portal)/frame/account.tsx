import { type ComponentType, useState } from 'react'
import { AccountButton } from './account-button.tsx'
import type { Viewer } from './viewer.ts'

type MenuProps = { viewer: Viewer; openKeys: () => void }

const load = () => import('./account-menu.tsx').then(({ AccountMenu }) => AccountMenu)

/** Shows the account menu; loads its code (30 KB) on hover, focus or click. */
export function Account(props: MenuProps) {
  const [Menu, setMenu] = useState<ComponentType<MenuProps> | null>(null)
  if (Menu !== null) return <Menu {...props} />
  const open = () => void load().then((AccountMenu) => setMenu(() => AccountMenu))
  return (
    <AccountButton
      name={props.viewer.name}
      aria-expanded={false}
      onPointerEnter={load}
      onFocus={load}
      onClick={open}
    />
  )
}
