import { CircleUser, Keyboard, LogOut } from 'lucide-react'
import { startTransition } from 'react'
import { Key } from '#app/ui/key.tsx'
import { Menu, MenuChoice, MenuItem, MenuLine, MenuLink } from '#app/ui/menu.tsx'
import { signOut } from '../sign-out.ts'
import { AccountButton } from './account-button.tsx'
import { themeChoices, useSetTheme } from './use-theme.ts'
import type { Viewer } from './viewer.ts'

/** Shows the account menu. It is rendered only once it is opened, so it starts open. */
export function AccountMenu({
  viewer: { name, email, theme },
  openKeys,
}: {
  viewer: Viewer
  openKeys: () => void
}) {
  const setTheme = useSetTheme()
  return (
    <Menu isOpenFirst trigger={<AccountButton name={name} />}>
      <div className="px-2.5 py-2">
        <p className="truncate font-medium">{name}</p>
        <p className="truncate text-ink-soft">{email}</p>
      </div>
      <MenuLine />
      <MenuLink icon={CircleUser} href="/account">
        Your account
      </MenuLink>
      <MenuLine />
      <MenuChoice label="Theme" value={theme} onChange={setTheme} choices={[...themeChoices]} />
      <MenuLine />
      <MenuItem icon={Keyboard} hint={<Key>?</Key>} onSelect={openKeys}>
        Keyboard shortcuts
      </MenuItem>
      <MenuItem icon={LogOut} onSelect={() => startTransition(signOut)}>
        Sign out
      </MenuItem>
    </Menu>
  )
}
