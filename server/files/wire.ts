import { z } from 'zod'
import { GetDeal } from '../deals/wire.ts'
import { text } from '../values/input.ts'
import { formatLimit } from '../values/units.ts'
import { isFileId, nameProblem } from './file.ts'
import { fileKinds } from './kind.ts'
import { dealFileMaxBytes } from './policy.ts'

export const FileAccess = z
  .looseObject({
    url: z.url().meta({
      description: 'Signed URL of the file; works without a token.',
      examples: [
        'https://deals.example.com/files/hic_9f2Kd81LmQ?expires=1772389205&signature=4nYyVw1mQ0Xb8p2Jr5tKc7uLd9eFg3hIiAoBsCzDxEw',
      ],
    }),
    expiresAt: z.iso.datetime().meta({
      description: 'Expiry of the signed URL.',
      examples: ['2026-03-01T18:20:05.000Z'],
      override: { type: 'string', format: 'date-time' },
    }),
    name: z.string().meta({ description: 'File name.', examples: ['agreement.pdf'] }),
    extension: z
      .string()
      .nullable()
      .meta({ description: 'File extension.', examples: ['pdf'] }),
    type: z.string().meta({ description: 'File type (media type).', examples: ['application/pdf'] }),
    size: z.number().meta({
      description: 'File size in bytes.',
      examples: [48213],
      override: { type: 'integer', format: 'int64' },
    }),
  })
  .meta({ id: 'FileAccess', description: 'File access record.' })
export type FileAccess = z.infer<typeof FileAccess>

export const GetFile = z.object({
  id: z
    .string()
    .refine(isFileId, { error: 'must be 1 to 64 characters of A-Z, a-z, 0-9, _ and -' })
    .meta({
      description: "The file id, such as a deal's `hicAgreement`.",
      examples: ['hic_9f2Kd81LmQ'],
      override: { type: 'string', minLength: 1, maxLength: 64, pattern: '^[A-Za-z0-9_-]+$' },
    }),
})

export const ListFiles = z.object({ dealId: GetDeal.shape.id })

export const BeginFile = ListFiles.extend({
  name: text(255).superRefine((name, context) => {
    const problem = nameProblem(name)
    if (problem !== null) context.addIssue({ code: 'custom', message: problem })
  }),
  kind: z.enum(fileKinds),
  sizeBytes: z
    .int()
    .min(1, { error: 'the file is empty' })
    .max(dealFileMaxBytes, { error: `the file is larger than ${formatLimit(dealFileMaxBytes)}` }),
})

/** The slice of an upload that begins at this offset. */
export const AppendFile = GetFile.extend({
  offset: z.int().min(0).max(dealFileMaxBytes),
  bytes: z.instanceof(Uint8Array),
})
