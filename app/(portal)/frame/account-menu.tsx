import { CircleUser, Keyboard, LogOut, Settings2 } from 'lucide-react'
import { startTransition } from 'react'
import { Key } from '#app/ui/keyboard.tsx'
import { Menu, MenuItem, MenuLine, MenuLink } from '#app/ui/menu.tsx'
import { AccountButton } from './account-button.tsx'
import { sectionEntriesFor, sectionName } from './navigation.ts'
import { signOut } from './sign-out.ts'
import type { Viewer } from './viewer.ts'

/** Shows the account menu, which is open when first rendered. */
export function AccountMenu({ viewer, openKeys }: { viewer: Viewer; openKeys: () => void }) {
  const { name, email } = viewer
  const [manage] = sectionEntriesFor(viewer)
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
      {manage !== undefined && (
        <MenuLink icon={Settings2} href={manage.href}>
          {sectionName(viewer)}
        </MenuLink>
      )}
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
