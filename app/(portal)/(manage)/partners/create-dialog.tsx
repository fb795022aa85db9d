'use client'

import { useState } from 'react'
import { button } from '#app/ui/button.ts'
import { Dialog } from '#app/ui/dialog.tsx'
import { PartnerLink } from '#app/ui/link.tsx'
import { CreatePartnerForm } from './create-form.tsx'

/** Creates a partner, then links to its next steps. */
export function CreatePartnerDialog({ onClose }: { onClose: () => void }) {
  const [created, setCreated] = useState<{ slug: string; name: string } | null>(null)
  return (
    <Dialog title={created === null ? 'New partner' : `${created.name} created`} onClose={onClose}>
      {created === null ? <CreatePartnerForm onCreated={setCreated} /> : <NextSteps slug={created.slug} />}
    </Dialog>
  )
}

function NextSteps({ slug }: { slug: string }) {
  return (
    <>
      <p role="status" className="mb-4 text-pretty">
        It has no users and no deals yet. Next steps:
      </p>
      <div className="flex flex-wrap gap-3">
        <PartnerLink href="/team" partner={slug} className={button.primary}>
          Invite an admin
        </PartnerLink>
        <PartnerLink href="/imports" partner={slug} className={`${button.plain} h-10`}>
          Import deals
        </PartnerLink>
      </div>
    </>
  )
}
