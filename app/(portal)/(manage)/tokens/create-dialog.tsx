import { useState } from 'react'
import type { NewToken } from '#server/tokens/wire.ts'
import { CreateTokenForm } from './create-form.tsx'
import { NewTokenDialog } from './new-token-dialog.tsx'

/** Creates a token and shows it, once. */
export function CreateTokenDialog({ isInternal, onClose }: { isInternal: boolean; onClose: () => void }) {
  const [made, setMade] = useState<NewToken>()
  return (
    <NewTokenDialog
      title={isInternal ? 'Create internal token' : 'Create token'}
      titleOnceMade="Token created"
      made={made}
      onClose={onClose}
    >
      <CreateTokenForm isInternal={isInternal} onMade={setMade} onCancel={onClose} />
    </NewTokenDialog>
  )
}
