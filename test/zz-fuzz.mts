import { readFileSync, writeFileSync, mkdtempSync, copyFileSync } from 'node:fs';
import { openRecording } from '/work/main/src/store/reader.ts';
import { StoreWriter } from '/work/main/src/store/writer.ts';
import { syntheticFacts, syntheticSamples } from '/work/main/test/support/synthetic-session.ts';
import { fakeOomKill } from '/work/main/test/support/fake-sample.ts';
const d = mkdtempSync('/tmp/fz-'); const file = d + '/a.db';
const w = StoreWriter.open(file, syntheticFacts());
for (const s of syntheticSamples({tickCount: 90, processCount: 8})) w.writeSample(s, s.sequence===5?[fakeOomKill({pid:9,comm:'chromium',timeUnixMs:s.timeUnixMs})]:[]);
const live = process.argv[2]==='live';
if (!live) w.close({endedUnixMs: syntheticFacts().startedUnixMs+90000, endReason:'signal'});
const parts = live ? ['', '-wal'] : [''];
const whole = parts.map(p => readFileSync(file+p));
const t = d+'/b.db'; let data=0; const codes: Record<string,number> = {};
const until = Date.now() + 50000; let n=0;
while (Date.now() < until) { n++;
  const places: string[] = [];
  parts.forEach((p,i) => { const b = Buffer.from(whole[i]!); const k=1+Math.floor(Math.random()*3); if (Math.random()<.8) for (let j=0;j<k;j++){ const at=Math.random()<.2?Math.floor(Math.random()*Math.min(b.length,3000)):Math.floor(Math.random()*b.length); const v=Math.random()<.3?[0,255,1,127,128][Math.floor(Math.random()*5)]!:Math.floor(Math.random()*256); b[at]=v; places.push(p+at+'='+v);} writeFileSync(t+p,b); });
  const t0=Date.now();
  try { using r = openRecording(t, {isAlive:()=>false}); r.facts; r.tickCount(); r.firstTick(); r.lastTick(); for (const _ of r.ticks()); for (const _ of r.processSamples()); r.processes(); r.events(); for (const s of r.series()) { r.distribution(s); r.distribution(s,{fromUnixMs: syntheticFacts().startedUnixMs+5000}); } data++; }
  catch (e:any) { const c=String(e.code)+ (/^FILE_/.test(e.code)&&e.message.startsWith(t)?'':' !! '+e.message+' '+e.cause); codes[c]=(codes[c]??0)+1; if(/!!/.test(c)) console.log(c, places.join(' '), e.stack.split('\n').slice(1,5).join('|')); }
  if (Date.now()-t0>3000) console.log('slow', Date.now()-t0, places.join(' '));
}
console.log(n, data, codes);
