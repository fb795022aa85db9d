export default { poweredByHeader: false, serverExternalPackages: ['postgres', 'pino', '@node-rs/argon2'] }
