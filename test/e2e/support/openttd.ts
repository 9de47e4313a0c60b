import { openttdImage } from './engine.js';

/** An egg for Debian's OpenTTD: no download, the image holds the game. */
export const openttdEgg = {
  meta: { version: 'PTDL_v2', update_url: null },
  name: 'OpenTTD from Debian',
  author: 'tests@localhost.localdomain',
  description: 'The dedicated server of OpenTTD as Debian packages it.',
  features: null,
  docker_images: { Debian: `~${openttdImage}` },
  file_denylist: [],
  startup: '/usr/games/openttd -D 0.0.0.0:{{SERVER_PORT}} -c /home/container/openttd.cfg',
  config: {
    files: '{}',
    startup: JSON.stringify({ done: 'Map generated, starting game' }),
    logs: '{}',
    stop: 'quit',
  },
  scripts: {
    installation: {
      script:
        '#!/bin/sh\nset -eu\necho "writing the configuration of $SERVER_TITLE"\nprintf "[network]\\nserver_name = %s\\n" "$SERVER_TITLE" > /mnt/server/openttd.cfg\n',
      container: `~${openttdImage}`,
      entrypoint: 'sh',
    },
  },
  variables: [
    {
      name: 'Title',
      description: '',
      env_variable: 'SERVER_TITLE',
      default_value: 'Panel test',
      user_viewable: true,
      user_editable: true,
      rules: 'required|string|max:60',
      field_type: 'text',
    },
  ],
};
