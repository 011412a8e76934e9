// What an agent does that asks systeminformation once a second: all processes, and the memory.
import si from 'systeminformation';

setInterval(async () => {
  await si.processes();
  await si.mem();
}, 1_000);
