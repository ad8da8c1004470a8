import AgentProtocol

let agentProtocolTargets: [FuzzTarget] = [
  .codec("agent-message", AgentMessage.codec, lenient: true, seeds: [[0x4D, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0x48]]),
  .codec("agent-envelope", AgentEnvelope.codec, lenient: true, seeds: [[0, 7, 0x43, 0x30, 1], [0, 7, 0x4D, 1]]),
  .codec("agent-connection-request", ConnectionRequest.codec, lenient: true),
  .codec(
    "agent-connection-link", ConnectionRequest.textCodec, lenient: true,
    seeds: [Array("simplex:/contact#/?v=2-7&smp=smp%3A%2F%2FYQ%3D%3D%40h%2FYQ%3D%3D%23%2F%3Fv%3D1".utf8)]),
  .codec("agent-short-link", ShortLink.codec, lenient: true),
  .codec(
    "agent-short-link-text", ShortLink.textCodec, lenient: true, seeds: [Array("simplex:/a#YWFh?h=h&p=1&c=YQ".utf8)]),
  .codec("agent-fixed-link-data", FixedLinkData.codec, lenient: true),
  .codec("agent-user-link-data", UserLinkData.codec, lenient: true, seeds: [[0x49, 0, 2, 0, 7, 1, 0]]),
]
