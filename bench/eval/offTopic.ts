/**
 * Tasks that no snippet of the development sets does, one a line, written for this project to fit on: those of
 * `test/offTopic.ts` are held back, to be measured on.
 */
export const offTopicToFit: ReadonlyArray<string> = `
Order a pizza with extra cheese to my office
How long does it take to drive from Berlin to Prague
Write a wedding speech for my brother
Suggest a name for our new puppy
Which train leaves for Milan after six in the evening
Explain how photosynthesis works to a ten-year-old
Compare the prices of electric cars in Norway
Proofread the attached essay on climate change
Find a dentist who takes new patients this week
Remind me to water the plants every Tuesday
Teach me some phrases in Icelandic
What should I cook with leftover rice and spinach
Tell me a joke about elephants
Who painted the ceiling of the Sistine Chapel
How do I get a red wine stain out of a carpet
Set up single sign-on with Okta for the intranet
Roll back a failed release of an ECS service
Write an Ansible playbook that hardens SSH
Provision a managed Redis on Azure with Bicep
Forward Prometheus alerts to PagerDuty
Create a Grafana dashboard for request latency
Publish an npm package from a GitLab pipeline
Add a service worker that makes the site work offline
Build a carousel of photos with Vue and Tailwind
Style a sign-up form with Material UI
Implement drag and drop between two columns in Svelte
Put a map with markers of our shops on the home page
Accept Apple Pay in an iOS app
Send push notifications through Firebase
Write a Kotlin view model for a login screen
Add haptic feedback to a SwiftUI button
Train a speech synthesiser on my voice
Segment tumours in CT scans with a U-Net
Generate product descriptions with GPT-4
Evaluate a recommender system with an A/B test
Build a retrieval pipeline over PDFs with LangChain
Quantise a language model to four bits
Track objects in drone footage with YOLO
Sync a Shopify inventory with SAP
Issue a refund through Adyen
Import bank statements into QuickBooks
File the quarterly sales tax for California
Create a Zoom meeting and invite the whole team
Post the daily stand-up summary in Microsoft Teams
Schedule Instagram posts for next week
Pull the open deals from Salesforce
Enrich leads with LinkedIn profiles
Read the temperature of a Zigbee thermostat
Unlock the front door when I come home
Program a PLC to sort boxes on a conveyor
Slice a 3D model for a resin printer
Decode the CAN bus messages of a truck
Render a fluid simulation with Vulkan shaders
Bake light maps in Unreal Engine
Compose background music for a trailer
Cut the silence out of a podcast episode
Burn subtitles into a film with ffmpeg
Trace a packet through an eBPF program
Write a Linux driver for a USB joystick
Prove the irrationality of pi in Coq
`
  .trim()
  .split("\n")
