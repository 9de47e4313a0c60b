/** Direction controls and other characters without a glyph, but for the two joiners that scripts need. */
const invisible = /(?!\u200c|\u200d)[\p{Cf}\p{Cs}]/gu;
const breaks = /[\p{Cc}\p{Zl}\p{Zp}]+/gu;
/** "1.20.1", "12:30" and "Hello." stay; what a link could continue with is set apart. Browsers take all of these dots. */
const joints = [
  /[.\u2024\u3002\uff0e\uff61](?=[^\s\d\p{P}])/gu,
  /(?<!\d):(?=\S)|:(?=[^\s\d])/gu,
  /[/\\@\uff0f\uff20](?=\S)/gu,
];

/**
 * A name that users choose, so that no mail program makes a link of it, and its text stays in its own line and direction.
 * What is changed is visible: "evil.example" is "evil. example".
 */
export function visibleName(name: string): string {
  const line = name.replace(breaks, ' ').replace(invisible, '');
  return joints.reduce((text, joint) => text.replace(joint, '$& '), line).trim();
}
