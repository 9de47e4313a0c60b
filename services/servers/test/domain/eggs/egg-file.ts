/** Complete PTDL_v2; `changes` replace top-level fields. */
export function eggFile(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    meta: { version: 'PTDL_v2', update_url: null },
    exported_at: '2026-01-01T00:00:00+00:00',
    name: 'Echo',
    author: 'games@example.com',
    description: 'Says what it hears',
    features: null,
    docker_images: { Shell: 'debian:bookworm', Other: 'ghcr.io/example/other:1' },
    file_denylist: {},
    startup: 'sh game.sh {{GREETING}}',
    config: {
      files: '{"server.properties":{"parser":"properties","find":{"server-port":"{{server.build.default.port}}"}}}',
      startup: '{"done": "ready to play"}',
      logs: '{}',
      stop: 'stop',
    },
    scripts: { installation: { script: 'echo installed', container: 'debian:bookworm', entrypoint: 'bash' } },
    variables: [
      {
        name: 'Greeting',
        description: '',
        env_variable: 'GREETING',
        default_value: 'hello',
        user_viewable: true,
        user_editable: true,
        rules: 'required|string|max:20',
        field_type: 'text',
      },
    ],
    ...changes,
  };
}

export function eggBytes(changes: Record<string, unknown> = {}): Buffer {
  return Buffer.from(JSON.stringify(eggFile(changes)));
}
