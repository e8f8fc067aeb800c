// Evaluates flags with the published OpenFeature server SDK and its OFREP provider, both as they come from the registry.
// RECOUP_URL and RECOUP_KEY name the server and a key of scope flags:read. Standard input is a JSON list of
// {flag, context}; standard output gets what the SDK makes of each, in the same order.
import { text } from 'node:stream/consumers';
import { OFREPProvider } from '@openfeature/ofrep-provider';
import { OpenFeature } from '@openfeature/server-sdk';

const { RECOUP_URL, RECOUP_KEY } = process.env;
const provider = new OFREPProvider({ baseUrl: RECOUP_URL, headers: [['Authorization', `Bearer ${RECOUP_KEY}`]] });
await OpenFeature.setProviderAndWait(provider);
const client = OpenFeature.getClient();
const out = [];
for (const { flag, context } of JSON.parse(await text(process.stdin))) {
  out.push(await client.getStringDetails(flag, 'the default', context));
}
console.log(JSON.stringify(out));
await OpenFeature.close();
