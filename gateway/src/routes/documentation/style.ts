export const styleSheet = `
:root{color-scheme:light dark;--line:#8883;--soft:#8881;--link:#1558b0;--get:#1a7f4b;--post:#1f5fbf;--put:#96590a;--delete:#b3282d}
@media(prefers-color-scheme:dark){:root{--link:#8ab8ff}}
*{box-sizing:border-box}html{scroll-padding-top:1rem}
body{margin:0;font:15px/1.55 system-ui,sans-serif;display:grid;grid-template-columns:20rem minmax(0,1fr)}
a{color:var(--link);text-decoration:none}a:hover{text-decoration:underline}
nav{position:sticky;top:0;height:100vh;overflow:auto;padding:1.25rem 1rem;border-right:1px solid var(--line);font-size:14px}
nav strong{display:block;font-size:15px;margin-bottom:.5rem}
nav a{display:block;padding:.1rem 0;color:inherit}
nav details{margin:.1rem 0}nav summary{cursor:pointer;padding:.1rem 0}nav summary a{display:inline}
nav details div{padding:0 0 .4rem .9rem}
nav details div a{font-size:13px;opacity:.85;white-space:nowrap;overflow:hidden;text-overflow:ellipsis}
nav i{font:700 10px/1 ui-monospace,monospace;display:inline-block;width:2.9rem;opacity:.8}
main{padding:1.5rem 2.5rem 6rem;max-width:72rem}
h1{font-size:1.7rem;margin:0 0 .5rem}h2{margin:3rem 0 .25rem;font-size:1.3rem}h3{font-size:.95rem;margin:1.2rem 0 .3rem}
code,pre{font:13px/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
pre{background:var(--soft);padding:.75rem 1rem;border-radius:6px;overflow:auto;max-height:28rem;margin:.4rem 0}
code{background:var(--soft);padding:.1rem .3rem;border-radius:4px}pre code,td code{background:none;padding:0}
details.op{border:1px solid var(--line);border-radius:8px;margin:.5rem 0}
details.op>summary{cursor:pointer;padding:.55rem .8rem;display:flex;gap:.75rem;align-items:baseline;flex-wrap:wrap;list-style:none}
details.op>summary::-webkit-details-marker{display:none}
details.op>summary:hover{background:var(--soft)}
details.op[open]>summary{border-bottom:1px solid var(--line)}
details.op>div{padding:.25rem 1rem 1rem;scroll-margin-top:4rem}
details.more>summary{cursor:pointer;opacity:.75;font-size:14px;margin:.3rem 0}
.m{font:700 12px/1 ui-monospace,monospace;color:#fff;border-radius:4px;padding:.3rem 0;width:4.2rem;text-align:center;flex:none}
.get{background:var(--get)}.post{background:var(--post)}.put{background:var(--put)}.delete{background:var(--delete)}
.path{font-weight:600;background:none;padding:0;overflow-wrap:anywhere}.what{opacity:.85}.planned{opacity:.55}
.who{margin-left:auto;font-size:12px;opacity:.7;white-space:nowrap}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%;margin:.3rem 0}td,th{text-align:left;vertical-align:top;padding:.3rem 1rem .3rem 0;border-bottom:1px solid var(--line)}
th{font-weight:600;font-size:.85rem;opacity:.75}td:first-child{white-space:nowrap;width:15rem}td:last-child{width:42%}
table.short td{width:auto}table.short td:last-child{width:100%;padding-left:1rem}.muted{opacity:.72}
section.object{scroll-margin-top:1rem}
section.object h3{font-size:1.05rem;margin-top:2rem}
:target>h3,:target>p:first-child{background:#fc35}
@media(max-width:60rem){body{display:block}nav{position:static;height:auto;max-height:40vh;border-right:0;border-bottom:1px solid var(--line)}main{padding:1rem}.who{margin-left:0}}
@media print{nav{display:none}body{display:block}}
`;
